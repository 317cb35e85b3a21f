import { PAGE_DETAIL } from './page.detail.js';
import { PAGE_LIST } from './page.list.js';

/**
 * What the page does, as it stands in the file: a list that is sorted, searched and opened by mouse or keyboard.
 * Everything from the data goes in as text, never as markup.
 */
export const PAGE_SCRIPT = `
'use strict';
(() => {
${PAGE_LIST}
${PAGE_DETAIL}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === 'Escape') { if (typing) event.target.blur(); else close(); return; }
  if (typing) return;
  if (event.key === '/') { event.preventDefault(); $('search').focus(); return; }
  const line = event.target instanceof Element ? event.target.closest('#rows tbody tr[data-row]') : null;
  if (!line) return;
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); line.click(); }
  if (event.key === 'ArrowDown' || event.key === 'j') { event.preventDefault(); step(line, 'nextElementSibling'); }
  if (event.key === 'ArrowUp' || event.key === 'k') { event.preventDefault(); step(line, 'previousElementSibling'); }
  if (!line.nextElementSibling) drawMore();
});
$('search').addEventListener('input', arrange);
$('kind').addEventListener('change', arrange);
new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting) && drawn < shown.length) drawMore();
}, { rootMargin: '600px' }).observe($('end'));
drawHead();
arrange();
document.documentElement.dataset.ready = 'true';
})();
`;
