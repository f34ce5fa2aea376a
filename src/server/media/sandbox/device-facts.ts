/** Where Linux describes devices: their drivers look there for what they drive. */
export const deviceFacts = '/sys';
