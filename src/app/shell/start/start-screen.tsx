import { Logo } from '#app/ui/logo.tsx';

/** The loading screen. `index.html` shows the same before any script; `styles/start.css` draws both. */
export function StartScreen() {
  return (
    <div className="start" role="status">
      <Logo />
      <p>Loading...</p>
    </div>
  );
}
