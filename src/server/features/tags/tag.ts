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
  /** Epoch milliseconds. */
  createdAt: number;
}
