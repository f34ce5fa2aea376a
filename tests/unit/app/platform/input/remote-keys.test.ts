import { expect, test, vi } from 'vitest';
import type { RemoteKey } from '#app/platform/input/remote-keys.ts';
import { isBackKey, registerRemoteKeys, remoteKeyOf } from '#app/platform/input/remote-keys.ts';

const press = (key: string, keyCode: number, more: Partial<KeyboardEvent> = {}) => ({
  key,
  keyCode,
  target: null,
  ...more,
});

test.each<[string, string, number, RemoteKey]>([
  ['an arrow of any remote', 'ArrowLeft', 37, 'left'],
  ['OK of any remote', 'Enter', 13, 'ok'],
  ['an arrow without a name', 'Unidentified', 40, 'down'],
  ['Back of webOS', 'GoBack', 461, 'back'],
  ['Back of webOS without a name', 'Unidentified', 461, 'back'],
  ['Back of Tizen', 'XF86Back', 10009, 'back'],
  ['Back of Tizen without a name', '', 10009, 'back'],
  ['Escape of a keyboard', 'Escape', 27, 'back'],
  ['B of an Xbox', 'GamepadB', 196, 'back'],
  ['A of an Xbox', 'Unidentified', 195, 'ok'],
  ['the pad of an Xbox', 'GamepadDPadUp', 203, 'up'],
  ['the pad of an Xbox without a name', 'Unidentified', 206, 'right'],
  ['the stick of an Xbox', 'Unidentified', 214, 'left'],
  ['red of webOS', 'ColorF0Red', 403, 'red'],
  ['green without a name', 'Unidentified', 404, 'green'],
  ['yellow under a name of its own', 'Yellow', 405, 'yellow'],
  ['blue', 'ColorF3Blue', 406, 'blue'],
  ['Info', 'Info', 457, 'info'],
  ['Play/Pause of Tizen', 'MediaPlayPause', 10252, 'play-pause'],
  ['Play/Pause of Fire TV', 'Unidentified', 179, 'play-pause'],
  ['Play of webOS', 'Unidentified', 415, 'play'],
  ['Pause of webOS', 'Unidentified', 19, 'pause'],
  ['Stop', 'MediaStop', 413, 'stop'],
  ['Rewind of Fire TV', 'Unidentified', 227, 'rewind'],
  ['Forward of webOS', 'Unidentified', 417, 'forward'],
  ['Next of Tizen', 'MediaTrackNext', 10233, 'next'],
  ['Channel up of Tizen', 'ChannelUp', 427, 'channel-up'],
  ['Channel down of webOS without a name', 'Unidentified', 34, 'channel-down'],
  ['Previous of a keyboard', 'MediaTrackPrevious', 177, 'previous'],
  ['Menu', 'ContextMenu', 93, 'menu'],
  ['Tools of Tizen', 'Unidentified', 10135, 'menu'],
])('%s: %s (%i) means %s', (_, key, keyCode, meaning) => {
  expect(remoteKeyOf(press(key, keyCode))).toBe(meaning);
});

test.each([
  ['a letter', press('q', 81)],
  ['a digit', press('1', 49)],
  ['the Pause key of a keyboard', press('Pause', 19)],
  ['Backspace', press('Backspace', 8)],
  ['an arrow with a modifier', press('ArrowLeft', 37, { altKey: true })],
  ['a sign whose code a gamepad uses', press('ç', 203)],
])('%s means itself', (_, event) => {
  expect(remoteKeyOf(event)).toBeNull();
});

test('Backspace is Back on a TV alone', () => {
  vi.stubGlobal('Element', class {});
  expect([isBackKey(press('Backspace', 8), true), isBackKey(press('Backspace', 8), false)]).toEqual([true, false]);
  vi.unstubAllGlobals();
});

test('a Tizen TV is asked for those of our keys that its remote has', () => {
  const registerKeyBatch = vi.fn();
  const getSupportedKeys = () => [{ name: 'ColorF0Red' }, { name: 'MediaPlayPause' }, { name: 'VolumeUp' }];
  vi.stubGlobal('tizen', { tvinputdevice: { getSupportedKeys, registerKeyBatch } });
  registerRemoteKeys();
  expect(registerKeyBatch).toHaveBeenCalledExactlyOnceWith(['ColorF0Red', 'MediaPlayPause']);
  vi.unstubAllGlobals();
});

test('a page without the privilege, and a device that is no Tizen TV, go on with the keys that come unasked', () => {
  expect(registerRemoteKeys).not.toThrow();
  vi.stubGlobal('tizen', {
    tvinputdevice: {
      getSupportedKeys: () => {
        throw new Error('SecurityError');
      },
    },
  });
  expect(registerRemoteKeys).not.toThrow();
  vi.unstubAllGlobals();
});
