import { useSnapshot } from 'valtio';
import { access } from '#app/state/access.ts';
import styles from './password-screen.module.css';

/** Says that a password is needed, and where to request it. */
export function AccessSentence() {
  const { requestAccess } = useSnapshot(access);
  return (
    <p className={styles.lead}>
      The site currently requires a password.
      {requestAccess === null
        ? ' Please request access from the site owner.'
        : ' Please request access from the site owner on '}
      {requestAccess && <Platform {...requestAccess} />}
      {requestAccess && '.'}
    </p>
  );
}

function Platform({ platform, url }: { platform: string; url: string | null }) {
  if (url === null) return <bdi>{platform}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{platform}</bdi>
    </a>
  );
}
