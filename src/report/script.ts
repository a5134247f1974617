/**
 * The page's script: tables that sort, figures that show the rollouts behind them, rollouts that are loaded from their files
 * when opened, and links that open what they point into. Everything in it works on elements that the server rendered; without it the page is whole but for lazy rollouts.
 */
export const SCRIPT = `'use strict';
(() => {
  const waiting = new Map();
  const open = (section) => new Promise((resolve) => {
    section.open = true;
    const src = section.dataset.src;
    if (!src) return resolve();
    const body = section.querySelector('.body');
    if (body.dataset.state === 'loaded') return resolve();
    waiting.set(section.id, [...(waiting.get(section.id) || []), resolve]);
    if (body.dataset.state === 'loading') return;
    body.dataset.state = 'loading';
    const script = document.createElement('script');
    script.src = src;
    script.onerror = () => { body.dataset.state = ''; body.textContent = 'Could not load ' + src + '.'; resolve(); };
    document.head.append(script);
  });
  window.octobenchRollout = (id, markup) => {
    const section = document.getElementById(id);
    if (!section) return;
    const body = section.querySelector('.body');
    body.innerHTML = markup;
    body.dataset.state = 'loaded';
    for (const done of waiting.get(id) || []) done();
    waiting.delete(id);
  };
  const follow = async () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    const owner = document.getElementById(id.split('-')[0]);
    if (owner && owner.matches('details.rollout')) await open(owner);
    const target = document.getElementById(id);
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  };
  addEventListener('hashchange', follow);
  addEventListener('click', (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) follow();
  });
  document.addEventListener('toggle', (event) => {
    if (event.target.open && event.target.matches('details.rollout')) open(event.target);
  }, true);
  const value = (row, column) => {
    const cell = row.cells[column];
    const key = cell ? cell.dataset.sort : undefined;
    return key === undefined ? (cell ? cell.textContent.trim() : '') : key === '' ? null : Number(key);
  };
  const sort = (header) => {
    const table = header.closest('table');
    const column = header.cellIndex;
    const down = header.getAttribute('aria-sort') !== 'descending';
    for (const other of header.parentElement.cells) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((x, y) => {
      const a = value(x, column), b = value(y, column);
      if (a === null || b === null) return (a === null) - (b === null);
      const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
      return down ? -order : order;
    });
    body.append(...rows);
  };
  for (const header of document.querySelectorAll('table.sortable thead th')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => sort(header));
  }
  const filter = document.getElementById('filter');
  const all = document.getElementById('show-all');
  let wanted = {};
  const choose = () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const section of document.querySelectorAll('details.rollout')) {
      const text = section.querySelector('summary').textContent.toLowerCase();
      const facets = JSON.parse(section.dataset.facets);
      section.hidden = !words.every((w) => text.includes(w)) || !Object.entries(wanted).every(([k, v]) => [facets[k]].flat().includes(v));
      if (!section.hidden) shown++;
    }
    for (const group of document.querySelectorAll('.instance'))
      group.hidden = ![...group.querySelectorAll('details.rollout')].some((s) => !s.hidden);
    const asked = [...words, ...Object.values(wanted)];
    all.hidden = asked.length === 0;
    document.getElementById('showing').textContent = asked.length === 0 ? '' : 'Showing ' + shown + ' rollouts: ' + asked.join(', ') + '.';
  };
  document.getElementById('filters').hidden = false;
  filter.addEventListener('input', choose);
  all.addEventListener('click', () => { wanted = {}; filter.value = ''; choose(); filter.focus(); });
  for (const link of document.querySelectorAll('a[data-show]'))
    link.addEventListener('click', () => { wanted = JSON.parse(link.dataset.show); filter.value = ''; choose(); });
  addEventListener('beforeprint', () => {
    for (const table of document.querySelectorAll('details.print')) table.open = true;
  });
  follow();
})();
`;
