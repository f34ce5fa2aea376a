/** '1 video', '10,000 videos': a count with its noun, whose plural ends in s. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}
