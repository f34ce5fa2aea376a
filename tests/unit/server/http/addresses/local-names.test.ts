import { describe, expect, test } from 'vitest';
import { hostNames, isPermitted, lanAddresses, permitFor, wantedNames } from '#server/http/local-names.ts';
import { hostWith, interfaceWith } from '#tests/support/secure-host.ts';

describe('the names of a host', () => {
  test.each([
    ['nas', ['nas', 'nas.local']],
    ['NAS.local', ['nas.local', 'nas']],
    ['nas.fritz.box.', ['nas.fritz.box', 'nas', 'nas.local']],
    ['my_nas', []],
    ['192.168.1.5', []],
    ['', []],
  ])('%s answers to %j', (hostname, names) => {
    expect(hostNames(hostname)).toEqual(names);
  });
});

test('addresses that no phone can use are left out', () => {
  const internal = { ...interfaceWith('127.0.0.1'), internal: true };
  const interfaces = {
    lo: [internal],
    eth0: ['192.168.1.20', 'fd12:3456:789a::20', 'fe80::1', '2001:db8::20', '169.254.3.4'].map(interfaceWith),
    docker0: [interfaceWith('172.17.0.1')],
    'br-1f2e': [interfaceWith('172.18.0.1')],
    gone: undefined,
  };
  expect(lanAddresses(interfaces)).toEqual(['192.168.1.20', 'fd12:3456:789a::20']);
});

test('a certificate names what the operator added first, then the host, its addresses and itself', () => {
  const { hostname, interfaces } = hostWith('192.168.1.20');
  expect(wantedNames(hostname, interfaces, ['tv.example', 'nas'])).toEqual([
    'tv.example',
    'nas',
    'nas.local',
    '192.168.1.20',
    'localhost',
    '127.0.0.1',
    '::1',
  ]);
});

describe('what an authority is limited to', () => {
  const loopback = ['127.0.0.0/8', '::1/128'];

  test.each([
    [['192.168.178.23'], ['192.168.0.0/16']],
    [['10.1.2.3', '10.9.9.9'], ['10.0.0.0/8']],
    [['172.20.1.1'], ['172.16.0.0/12']],
    [['203.0.113.7'], ['203.0.113.7/32']],
    [['100.101.102.103'], ['100.101.102.103/32']],
    [
      ['192.168.1.2', 'fd12:3456:789a:1::2'],
      ['192.168.0.0/16', 'fd12:3456:789a::/48'],
    ],
    [
      ['192.168.1.2', 'fd00::2'],
      ['192.168.0.0/16', 'fd00::/48'],
    ],
    [
      ['192.168.1.2', 'fd00::1:2:3:4:5:6'],
      ['192.168.0.0/16', 'fd00:0:1::/48'],
    ],
    [[], ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8']],
  ])('addresses %j: ranges %j', (addresses, ranges) => {
    expect(permitFor([...addresses, '127.0.0.1', '::1']).ranges).toEqual([...ranges, ...loopback]);
  });

  test('names stand for themselves and for what is below them', () => {
    const permitted = permitFor(['nas', 'nas.local', 'localhost']);
    expect(['nas', 'nas.local', 'tv.nas.local', 'localhost'].every((name) => isPermitted(permitted, name))).toBe(true);
    expect(['local', 'bignas', 'example.com', 'router.local'].some((name) => isPermitted(permitted, name))).toBe(false);
  });

  test('addresses are compared as numbers', () => {
    const permitted = permitFor(['192.168.1.20', 'fd12:3456:789a::20']);
    expect(
      ['192.168.250.1', '127.0.0.9', '::1', 'fd12:3456:789a:ff::9'].every((name) => isPermitted(permitted, name)),
    ).toBe(true);
    expect(
      ['10.0.0.1', '8.8.8.8', 'fd12:3456:789b::1', '2001:db8::1'].some((name) => isPermitted(permitted, name)),
    ).toBe(false);
  });
});
