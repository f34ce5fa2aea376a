/** What came back, whoever sent it. */
export interface Answer {
  status: number;
  ok: boolean;
  text: string;
}
