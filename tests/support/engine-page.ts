export type MouseButton = 'left' | 'right';

/**
 * A page in some engine, driven by mouse, typed text and, in the engines of TVs, keys. Functions given to it travel as source text: they see
 * only their argument, and use no syntax that the oldest engine lacks.
 */
export interface EnginePage {
  /** Goes to an address; resolves at the page's load event. */
  open(address: string): Promise<void>;
  evaluate<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<Output>;
  /** In CSS pixels of the window, as everything here. */
  moveMouse(x: number, y: number): Promise<void>;
  click(x: number, y: number, button?: MouseButton): Promise<void>;
  doubleClick(x: number, y: number): Promise<void>;
  type(text: string): Promise<void>;
  /** One key by its name; absent where an engine is driven by mouse alone. */
  press?(key: string): Promise<void>;
  /** Back, as the browser's own button does it. */
  goBack(): Promise<void>;
  /** What is on screen, as a PNG. */
  takePicture(): Promise<Buffer>;
  /** Uncaught errors and unhandled rejections since this was asked last, in order. */
  takeErrors(): Promise<string[]>;
}

/** A browser that runs, with one page. */
export interface RunningEngine {
  readonly page: EnginePage;
  close(): Promise<void>;
}
