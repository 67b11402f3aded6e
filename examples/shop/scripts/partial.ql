select stars, says from reviews where id in ('0071', '0072', '0090')
