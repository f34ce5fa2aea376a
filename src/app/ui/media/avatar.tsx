import { useState } from 'react';

interface Props {
  url: string | null | undefined;
  /** The first letter of the name, in place of a picture that is missing or does not load. */
  initial: string;
  className: string | undefined;
}

/** The picture of a person. Screen readers skip it, because the name stands beside it. */
export function Avatar({ url, initial, className }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  if (url && url !== failed) return <img className={className} src={url} alt="" onError={() => setFailed(url)} />;
  return (
    <span className={className} aria-hidden="true">
      {initial}
    </span>
  );
}
