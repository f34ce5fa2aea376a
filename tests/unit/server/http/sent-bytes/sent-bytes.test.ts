import { describe, expect, test } from 'vitest';
import { SentBytes } from '#server/http/sent-bytes/sent-bytes.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

/** A browser with a name of its own. */
const browser = (name: string, ip = '192.0.2.7') => ({ ip, cookies: { viewer: name.padEnd(24, '-') } });
const second = 1_000;
const hour = 3_600_000;

test('each viewer has what was sent to them, the site has all of it', () => {
  const meter = new SentBytes(settableClock());
  meter.viewer(browser('ada')).given(1_000);
  meter.viewer(browser('bob')).given(30);
  meter.viewer(browser('ada')).given(500);
  expect(meter.find(browser('ada'))?.history.bytesNow(meter.now())).toBe(1_500);
  expect(meter.find(browser('bob'))?.history.bytesNow(meter.now())).toBe(30);
  expect(meter.find(browser('eve'))).toBe(null);
  expect([meter.site.bytesNow(meter.now()), meter.total, meter.size]).toEqual([1_530, 1_530, 2]);
});

test('a slot of the site counts each viewer once, however often they are sent something', () => {
  const clock = settableClock();
  const meter = new SentBytes(clock);
  clock.pass(10 * second - (meter.now() % (10 * second)));
  for (const name of ['ada', 'bob', 'ada']) meter.viewer(browser(name)).given(100);
  clock.pass(10 * second);
  meter.viewer(browser('bob')).given(50);
  clock.pass(10 * second);
  expect([...meter.site.slots(10 * second, 0, meter.now())].map(({ bytes, viewerMs }) => [bytes, viewerMs])).toEqual([
    [300, 20_000],
    [50, 10_000],
  ]);
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
  viewer.given(100);
  clock.jump(-5 * hour);
  clock.pass(4 * second);
  viewer.given(10);
  expect(viewer.history.bytesNow(meter.now())).toBe(110);
  expect(meter.toTimeOfDay(meter.now())).toBe(clock.now());
  clock.jump(9 * hour);
  expect(viewer.history.bytesNow(meter.now())).toBe(110);
});

describe('who is remembered', () => {
  test('is as many of one address as may be: names that it makes up push out its own idlest alone', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { viewersPerAddress: 3 });
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
    const meter = new SentBytes(clock, { viewers: 4 });
    const watching = meter.viewer(browser('ada', '198.51.100.1'));
    meter.viewer(browser('idle', '198.51.100.2')).given(1);
    for (let made = 0; made < 50; made += 1) {
      clock.pass(1);
      watching.given(1);
      meter.viewer(browser(`forged${made}`, `203.0.113.${made}`)).given(1);
    }
    expect([meter.size, meter.find(browser('ada')), meter.find(browser('idle'))]).toEqual([4, watching, null]);
    expect(watching.history.bytesNow(meter.now())).toBe(50);
  });

  test('is never more than may be, though several make room at a time', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { viewers: 100, viewersPerAddress: 40 });
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
    const meter = new SentBytes(settableClock(), { viewers: 10, viewersPerAddress: 3 });
    for (let index = 0; index < 8; index += 1) meter.viewer(browser(`viewer${index}`, '127.0.0.1')).given(1);
    expect(meter.size).toBe(8);
  });

  test('is freed a day after the last bytes, and counts towards its address no more', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { viewersPerAddress: 1 });
    meter.viewer(browser('ada')).given(1);
    clock.pass(24 * hour);
    meter.freeIdle();
    expect(meter.size).toBe(1);
    clock.pass(1);
    meter.freeIdle();
    expect(meter.size).toBe(0);
    meter.viewer(browser('bob')).given(1);
    meter.viewer(browser('eve')).given(1);
    expect([meter.size, meter.find(browser('eve'))?.address]).toEqual([1, '192.0.2.7']);
  });

  test('an answer that outlasts its viewer still counts for the site', () => {
    const clock = settableClock();
    const meter = new SentBytes(clock, { viewers: 1 });
    const first = meter.viewer(browser('ada'));
    clock.pass(1);
    meter.viewer(browser('bob')).given(1);
    first.given(5);
    expect([meter.find(browser('ada')), meter.total]).toEqual([null, 6]);
  });
});
