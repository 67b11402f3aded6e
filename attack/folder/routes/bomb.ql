return select * from bombs where coding = '{coding}' via route '/bomb/{coding}' using method get
