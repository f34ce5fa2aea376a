/** A tag, as the server thinks of it. */
export interface Tag {
  number: number;
  id: string;
  name: string;
  /** What makes two names the same. */
  nameKey: string;
  description: string;
  color: string;
  isActive: boolean;
  /** Number of the tag that it was, or at this moment is merged into; filters that name this one mean that one. */
  mergedInto: number | null;
  /** Epoch milliseconds. */
  createdAt: number;
}
