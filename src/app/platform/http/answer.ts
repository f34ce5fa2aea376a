/** What came back, whoever sent it. */
export interface Answer {
  status: number;
  ok: boolean;
  text: string;
  /** `X-Revision` (§7 Conventions); absent where none came. */
  revision?: string | null;
}
