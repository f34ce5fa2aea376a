import { now } from '#app/platform/timers.ts';
import { agoText } from '#app/ui/elapsed-text.ts';
import { momentOf } from '#app/ui/time-text.ts';

/** How long ago something was, and when exactly: '3 hours ago (Nov 21, 2026, 9:04 AM)'. */
export function Moment({ time }: { time: string }) {
  return (
    <time dateTime={time}>
      {agoText(time, now())} ({momentOf(time)})
    </time>
  );
}

/** For what goes on since then: 'since Nov 21, 2026, 9:04 AM (3 hours ago)'. */
export function Since({ time }: { time: string }) {
  return (
    <time dateTime={time}>
      since {momentOf(time)} ({agoText(time, now())})
    </time>
  );
}
