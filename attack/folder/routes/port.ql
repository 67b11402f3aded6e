return select * from ports where port = '{port}' via route '/port?port={port}' using method get
