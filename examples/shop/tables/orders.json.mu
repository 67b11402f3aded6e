{{#params}}
{"item": "{{item}}", "pieces": {{pieces}}{{#note}}, "note": "{{note}}"{{/note}}}
{{/params}}
