/**
 * The address of a call in one order: what differs only in the order of its parameters, or of the ids in one of them,
 * has one answer.
 */
export function toCacheKey(address: string): string {
  const [path = '', search = ''] = address.split('?');
  const params = Array.from(new URLSearchParams(search), ([name, value]) => `${name}=${orderIds(name, value)}`);
  return `${path}?${params.sort().join('&')}`;
}

function orderIds(name: string, value: string): string {
  return name.endsWith('_ids') ? value.split(',').sort().join(',') : value;
}
