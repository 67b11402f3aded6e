*
A-1 *
B-2 2by noon