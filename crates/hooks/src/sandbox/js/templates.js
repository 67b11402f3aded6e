// EJS templates, which the host has turned into functions.
(function (native, host) {
  'use strict';
  const DEEPEST = 32;
  const MARKUP = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', '\'': '&#39;' };
  const escape = (value) => (value === undefined || value === null ? '' : String(value).replace(/[&<>"']/g, (found) => MARKUP[found]));
  const made = new Map();

  function find(folder, name) {
    const key = folder + '\0' + name;
    if (!made.has(key)) made.set(key, native.template(folder, name));
    return made.get(key);
  }

  function render(folder, name, scope, depth) {
    if (depth > DEEPEST) throw new Error('the templates include each other too deeply');
    const template = find(folder, name);
    const include = (other, locals) => render(template.folder, String(other), locals ? Object.assign({}, scope, locals) : scope, depth + 1);
    return template.make(scope, escape, include);
  }

  host.template = (name, scope) => render(native.root, name, scope, 0);
})
