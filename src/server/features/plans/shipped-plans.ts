import type { Plan } from '#contract/entities/user.ts';

/** The built-in plans, used unless the operator provides others (§3 Subscription plan). */
export const shippedPlans: readonly Plan[] = [
  {
    tier: 'basic',
    name: 'Basic',
    price: 0,
    duration: null,
    description: 'Four videos at once, for everybody.',
    features: ['Quad-Multiplayer Streaming', 'Video Controls (Mute/Pin/Seek/Skip)'],
    popular: false,
  },
  {
    tier: 'pro',
    name: 'Pro',
    price: 9,
    duration: 'month',
    description: 'Sharper pictures and steps of your own.',
    features: ['Everything in Basic', 'HD streaming', 'Customizable Skip Limits', 'Advanced playlists'],
    popular: true,
  },
  {
    tier: 'lifetime',
    name: 'Lifetime',
    price: 149,
    duration: null,
    description: 'Everything in Pro, paid once.',
    features: ['Everything in Pro', 'No end date'],
    popular: false,
  },
  {
    tier: 'admin',
    name: 'Admin',
    price: 0,
    duration: null,
    description: 'For those who run this site.',
    features: ['Everything in Lifetime', 'Performance dashboard', 'User management'],
    popular: false,
  },
];
