/*
 * Plain ES5 for browsers that cannot run the app. It takes the words of the loading screen's place while that still
 * stands.
 */
function endStart() {
  var text = document.getElementById('start-text');
  if (!text) return;
  var isNewEnough = false;
  // Chrome 66, Safari 12 and Firefox 61 take a gap without a prefix.
  if ('noModule' in document.createElement('script') && window.CSS) isNewEnough = CSS.supports('gap', '1px');
  removeGrid();
  text.id = '';
  text.parentNode.className = 'start start-ended';
  text.textContent = isNewEnough
    ? 'Fourfold could not start.'
    : 'This browser is too old for Fourfold. It needs Chrome 68, Safari 15, Firefox 91 or a newer one.';
  if (!isNewEnough) return;
  var reload = document.createElement('a');
  reload.href = '/';
  reload.onclick = startAfresh;
  reload.textContent = 'Reload';
  text.parentNode.appendChild(reload);
}

/* The page may have drawn its videos over the words, or be about to: handed over, they are drawn no more. */
function removeGrid() {
  var grid = document.querySelector('.start-grid');
  if (grid) grid.parentNode.removeChild(grid);
  if (window.pageStart) window.pageStart.handOver();
}

/*
 * A wrong file that was kept would fail every start. Tokens, settings and what waits to be sent are kept elsewhere and
 * stay.
 */
function startAfresh(event) {
  event.preventDefault();
  window.setTimeout(openAgain, 5000);
  forgetApp().then(fetchFilesAnew).then(openAgain, openAgain);
}

function openAgain() {
  window.location.href = '/';
}

function forgetApp() {
  var tasks = [];
  if (window.caches) tasks.push(window.caches.keys().then(deleteAppCaches));
  if (window.navigator.serviceWorker) tasks.push(window.navigator.serviceWorker.getRegistration('/').then(unregister));
  return Promise.all(tasks);
}

/* The worker's own: the names begin as workbox has them. */
function deleteAppCaches(names) {
  return Promise.all(names.filter(isOfApp).map(deleteCache));
}

function isOfApp(name) {
  return name.indexOf('workbox-') === 0;
}

function deleteCache(name) {
  return window.caches.delete(name);
}

function unregister(registration) {
  if (registration) return registration.unregister();
}

/* The browser's own cache may have kept the wrong file, too. */
function fetchFilesAnew() {
  return Promise.all(
    [].map.call(document.querySelectorAll('script[src], link[rel="stylesheet"], link[rel="preload"]'), fetchAnew),
  );
}

function fetchAnew(file) {
  return window.fetch(file.src || file.href, { cache: 'reload' });
}

/* By the load event the app has marked the root element, or it never will. */
function endStartUnlessStarted() {
  if (document.documentElement.getAttribute('data-started') === null) endStart();
}

window.addEventListener('load', endStartUnlessStarted);
// Where a file never comes, there is no such event: after `callTimeoutSeconds`. An app that comes later still takes the
// place.
window.setTimeout(endStart, 15000);
// The engine or the views could not be had.
window.addEventListener('unhandledrejection', endStart);
