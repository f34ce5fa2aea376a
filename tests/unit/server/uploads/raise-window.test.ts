import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { RaisedWindows, raisedLimits } from '#server/features/uploads/receiving/upload-request.ts';

/** What the windows of a connection are, as far as this process has told. */
class Connection extends EventEmitter {
  destroyed = false;
  streamWindow = 65_535;
  connectionWindow = 65_535;

  setLocalWindowSize(bytes: number): void {
    this.connectionWindow = bytes;
  }

  settings({ initialWindowSize }: { initialWindowSize: number }): void {
    this.streamWindow = initialWindowSize;
  }

  get isRaised(): boolean {
    return this.streamWindow > 65_535 && this.connectionWindow > 65_535;
  }
}

const asSession = (connection: Connection) => connection as unknown as ServerHttp2Session;
const openMany = (count: number) => Array.from({ length: count }, () => new Connection());

test('the windows of one person are raised on few connections, and in all on not many', () => {
  const windows = new RaisedWindows();
  const own = openMany(10);
  for (const connection of own) windows.raise(asSession(connection), 'ada');
  expect(own.filter(({ isRaised }) => isRaised).length).toBe(raisedLimits.perPerson);
  const others = openMany(100);
  for (const [index, connection] of others.entries()) windows.raise(asSession(connection), `person ${index}`);
  expect([...own, ...others].filter(({ isRaised }) => isRaised).length).toBe(raisedLimits.total);
});

test('a connection whose bodies have ended, or that is closed, leaves its windows to another', () => {
  const windows = new RaisedWindows();
  const [first, second, third, fourth] = openMany(4) as [Connection, Connection, Connection, Connection];
  const end = windows.raise(asSession(first), 'ada');
  windows.raise(asSession(second), 'ada');
  end();
  windows.raise(asSession(third), 'ada');
  expect([first, second, third].map(({ isRaised }) => isRaised)).toEqual([false, true, true]);
  second.emit('close');
  windows.raise(asSession(fourth), 'ada');
  expect(fourth.isRaised).toBe(true);
});
