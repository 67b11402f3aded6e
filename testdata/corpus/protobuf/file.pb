
a.protoa"
M
f (RfRoldbproto3