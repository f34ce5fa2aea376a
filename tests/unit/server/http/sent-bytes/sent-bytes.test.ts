import { describe, expect, test } from 'vitest';
import type { SentViewer } from '#server/http/connections/sent-bytes.ts';
import { SentBytes } from '#server/http/connections/sent-bytes.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

/** A browser with a name of its own. */
const browser = (name: string, ip = '192.0.2.7') => ({ ip, cookies: { viewer: name.padEnd(24, '-') } });
const second = 1_000;
const hour = 3_600_000;

/** So many megabytes that took a second each. */
function deliver(viewer: SentViewer, megabytes: number, ms = 1_000): void {
  viewer.delivered({ bytes: megabytes * 1_000_000, ms });
}

test('each viewer has what was sent to them, the site has all of it', () => {
  const meter = new SentBytes(settableClock());
  meter.viewer(browser('ada')).given(1_000);
  meter.viewer(browser('bob')).given(30);
  meter.viewer(browser('ada')).given(500);
  expect([meter.find(browser('ada'))?.bytes, meter.find(browser('bob'))?.bytes]).toEqual([1_500, 30]);
  expect([meter.find(browser('eve')), meter.total, meter.size]).toEqual([null, 1_530, 2]);
});

test('a slot of the site has the mean over viewers, each once, however often and however much they fetch', () => {
  const clock = settableClock();
  const meter = new SentBytes(clock);
  clock.pass(10 * second - (meter.now() % (10 * second)));
  const [ada, bob] = [meter.viewer(browser('ada')), meter.viewer(browser('bob'))];
  for (const megabytes of [1, 2, 3]) deliver(ada, megabytes);
  deliver(bob, 5);
  clock.pass(10 * second);
  deliver(bob, 50, 2_000);
  clock.pass(10 * second);
  expect([...meter.site.slots(10 * second, 0, meter.now())].map(({ kbps, viewers }) => [kbps, viewers])).toEqual([
    [16_000 + 40_000, 2],
    [200_000, 1],
  ]);
});

describe('what the network gives a viewer', () => {
  test('is what came in the last ten seconds over the time in which it was under way', () => {
    const clock = settableClock();
    const viewer = new SentBytes(clock).viewer(browser('ada'));
    deliver(viewer, 1, 100);
    clock.pass(9 * second);
    deliver(viewer, 3, 300);
    expect(viewer.speed?.kbps).toBe(80_000);
    clock.pass(2 * second);
    deliver(viewer, 1, 500);
    expect(viewer.speed?.kbps).toBe(40_000);
  });

  test('is told neither by a few bytes, which take one way there and back, nor by none', () => {
    const clock = settableClock();
    const viewer = new SentBytes(clock).viewer(browser('ada'));
    for (const delivery of [
      { bytes: 0, ms: 0 },
      { bytes: 2_000, ms: 200 },
    ])
      viewer.delivered(delivery);
    expect(viewer.speed).toBe(null);
  });

  test('is told by a few bytes that take long, and by many that take no time that the system counts', () => {
    const [slow, fast] = [1, 2].map(() => new SentBytes(settableClock()).viewer(browser('ada')));
    slow?.delivered({ bytes: 50_000, ms: 1_000 });
    fast?.delivered({ bytes: 1_000_000, ms: 0 });
    expect([slow?.speed?.kbps, fast?.speed?.kbps]).toEqual([400, 8_000_000]);
  });
});

test('whoever has no name counts as their address, whoever moves to another network as there', () => {
  const meter = new SentBytes(settableClock());
  meter.viewer({ ip: '192.0.2.7', cookies: {} }).given(1);
  expect(meter.viewer({ ip: '192.0.2.7', cookies: {} }).network).toBe('192.0.2.0/24');
  meter.viewer(browser('ada', '192.0.2.7'));
  expect(meter.viewer(browser('ada', '2001:db8:1:2::3')).network).toBe('2001:db8:1::/48');
  expect(meter.size).toBe(2);
});

test('a viewer watches since the first bytes after the last longer pause', () => {
  const clock = settableClock();
  const meter = new SentBytes(clock);
  const viewer = meter.viewer(browser('ada'));
  const since = () => meter.now() - viewer.since;
  viewer.given(1);
  for (const _ of [1, 2]) {
    clock.pass(60 * second);
    viewer.given(1);
  }
  expect(since()).toBe(120 * second);
  clock.pass(61 * second);
  viewer.given(1);
  expect(since()).toBe(0);
});

test('active are those who were sent something lately', () => {
  const clock = settableClock();
  const meter = new SentBytes(clock);
  meter.viewer(browser('ada')).given(1);
  clock.pass(50 * second);
  meter.viewer(browser('bob')).given(1);
  clock.pass(11 * second);
  expect(meter.active(60 * second).map(({ key }) => key.replaceAll('-', ''))).toEqual(['bob']);
});

test('the system’s time may jump: what was sent before and after stays apart as long as it was', () => {
  const clock = settableClock();
  const meter = new SentBytes(clock);
  const viewer = meter.viewer(browser('ada'));
  deliver(viewer, 1);
  clock.jump(-5 * hour);
  clock.pass(4 * second);
  deliver(viewer, 3);
  expect(viewer.speed?.kbps).toBe(16_000);
  expect(meter.toTimeOfDay(meter.now())).toBe(clock.now());
  clock.jump(9 * hour);
  expect(meter.measured(1)).toEqual([viewer.speed]);
});

describe('who is remembered', () => {
  test('is as many of one address as may be: names that it makes up push out its own idlest alone', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { perAddress: 3 });
    const watching = browser('ada', '198.51.100.1');
    meter.viewer(watching).given(1_000);
    for (let made = 0; made < 50; made += 1) {
      clock.pass(1);
      meter.viewer(browser(`forged${made}`, '203.0.113.5')).given(1);
    }
    expect(meter.size).toBe(4);
    expect(meter.find(watching)).not.toBe(null);
    expect([46, 47, 49].map((made) => meter.find(browser(`forged${made}`)) !== null)).toEqual([false, true, true]);
  });

  test('is as many as the process remembers: the idlest goes, whoever is being sent something stays', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { total: 4 });
    const watching = meter.viewer(browser('ada', '198.51.100.1'));
    meter.viewer(browser('idle', '198.51.100.2')).given(1);
    for (let made = 0; made < 50; made += 1) {
      clock.pass(1);
      watching.given(1);
      meter.viewer(browser(`forged${made}`, `203.0.113.${made}`)).given(1);
    }
    expect([meter.size, meter.find(browser('ada')), meter.find(browser('idle'))]).toEqual([4, watching, null]);
    expect(watching.bytes).toBe(50);
  });

  test('is as many of one network as may be: a made-up /56 pushes out its own, and who was sent nothing first', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { total: 40, perAddress: 8, perNetwork: 16 });
    const watching = browser('ada', '198.51.100.1');
    meter.viewer(watching).given(1_000);
    const neighbour = browser('bob', '2001:db8:0:ff::1');
    meter.viewer(neighbour).given(1_000);
    for (let made = 0; made < 200; made += 1) {
      clock.pass(1);
      meter.viewer(browser(`forged${made}`, `2001:db8:0:${(made % 250).toString(16)}::1`));
    }
    expect(meter.size).toBeLessThanOrEqual(17);
    expect([watching, neighbour].map((request) => meter.find(request) !== null)).toEqual([true, true]);
  });

  test('is never more than may be, though several make room at a time', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { total: 100, perAddress: 40 });
    const sizes = new Set<number>();
    for (let made = 0; made < 1_000; made += 1) {
      clock.pass(1);
      meter.viewer(browser(`forged${made}`, `203.0.113.${made % 3}`)).given(1);
      if (made >= 200) sizes.add(meter.size);
    }
    expect([Math.min(...sizes) > 90, Math.max(...sizes)]).toEqual([true, 100]);
    expect(meter.find(browser('forged999'))).not.toBe(null);
  });

  test('is the same from this machine itself, where a proxy stands that nobody named', () => {
    const meter = new SentBytes(settableClock(), { total: 10, perAddress: 3 });
    for (let index = 0; index < 8; index += 1) meter.viewer(browser(`viewer${index}`, '127.0.0.1')).given(1);
    expect(meter.size).toBe(8);
  });

  test('is freed a day after the last bytes, and counts towards its address no more', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { perAddress: 1 });
    meter.viewer(browser('ada')).given(1);
    clock.pass(24 * hour);
    meter.freeIdle();
    expect(meter.size).toBe(1);
    clock.pass(1);
    meter.freeIdle();
    expect(meter.size).toBe(0);
    meter.viewer(browser('bob')).given(1);
    meter.viewer(browser('eve')).given(1);
    expect([meter.size, meter.find(browser('eve'))?.network]).toEqual([1, '192.0.2.0/24']);
  });

  test('an answer that outlasts its viewer still counts for the site', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { total: 1 });
    const first = meter.viewer(browser('ada'));
    clock.pass(1);
    meter.viewer(browser('bob')).given(1);
    first.given(5);
    expect([meter.find(browser('ada')), meter.total]).toEqual([null, 6]);
  });
});
