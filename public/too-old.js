/* Plain ES5 for browsers that cannot run the app. It takes the words of the loading screen's place while that still stands. */
function endStart() {
  var text = document.getElementById('start-text');
  if (!text) return;
  var isNewEnough = false;
  // `min()` came to style sheets with the oldest engine that is promised: Chrome 79.
  if ('noModule' in document.createElement('script') && window.CSS) isNewEnough = CSS.supports('width', 'min(1px, 2px)');
  removePictures();
  text.id = '';
  text.parentNode.className = 'start start-ended';
  text.textContent = isNewEnough
    ? 'Fourfold could not start.'
    : 'This browser is too old for Fourfold. It needs Chrome 79, Safari 15, Firefox 91 or a newer one.';
  if (!isNewEnough) return;
  var reload = document.createElement('a');
  reload.href = '/';
  reload.textContent = 'Reload';
  text.parentNode.appendChild(reload);
}

/* The page may have drawn them over the words, or be about to. */
function removePictures() {
  var pictures = document.querySelector('.start-pictures');
  if (pictures) pictures.parentNode.removeChild(pictures);
  if (window.askedAhead) window.askedAhead.videos = null;
}

/* By the load event the app has marked the root element, or it never will. */
function endStartUnlessStarted() {
  if (document.documentElement.getAttribute('data-started') === null) endStart();
}

window.addEventListener('load', endStartUnlessStarted);
// The engine or the views could not be had.
window.addEventListener('unhandledrejection', endStart);
