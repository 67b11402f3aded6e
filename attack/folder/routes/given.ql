return {"text": "{text}"} via route '/given' using method post
