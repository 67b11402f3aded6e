left = select left from stock where id = '0099' || select left from stock.old where id = '0099' || [0];
return "{left}"
