import { quadrants } from '#contract/quadrants.ts';
import { startProduct } from '#tests/support/product.ts';

/** The product with its demo library, and the bare page, side by side on one server. */
export interface Site {
  readonly address: string;
  /** Four clips, drawn at random as the product draws its own. */
  drawClips(): Promise<string[]>;
  /** The bare page with four clips drawn anew. */
  drawBareAddress(): Promise<string>;
  stop(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const product = await startProduct({ entry: 'tests/bench/site-server.ts' });
  const drawClips = () => drawFour(product.address);
  return {
    address: `${product.address}/`,
    drawClips,
    drawBareAddress: async () => `${product.address}/bare?${new URLSearchParams((await drawClips()).map((address) => ['video', address]))}`,
    stop: product.dispose,
  };
}

/** Each one another. */
async function drawFour(address: string): Promise<string[]> {
  const drawn: { id: string; url: string }[] = [];
  for (const quadrant of quadrants) {
    const answer = await fetch(`${address}/api/video/${quadrant}?exclude=${drawn.map(({ id }) => id).join(',')}`);
    drawn.push((await answer.json()) as { id: string; url: string });
  }
  return drawn.map(({ url }) => url);
}
