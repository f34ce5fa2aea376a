/** Loaded into the product before anything else (`NODE_OPTIONS`): its wall clock is ten years ahead. */
const realNow = Date.now;
Date.now = () => realNow() + 3_653 * 86_400_000;
