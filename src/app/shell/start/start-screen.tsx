import { Logo } from '#app/ui/logo.tsx';

/**
 * The loading screen. `index.html` has the same markup for the time before the scripts; `styles/start.css` styles both.
 */
export function StartScreen() {
  return (
    <div className="start" role="status">
      <Logo />
      <p>Loading...</p>
    </div>
  );
}
