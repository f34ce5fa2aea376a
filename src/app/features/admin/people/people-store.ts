import { call } from '#app/platform/http/call.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listUsers } from '#contract/endpoints.ts';
import type { User } from '#contract/entities/user.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';

/** What is shown of somebody here. */
export type Person = Pick<
  User,
  | 'id'
  | 'username'
  | 'email'
  | 'display_name'
  | 'avatar_url'
  | 'has_password'
  | 'subscription_tier'
  | 'effective_tier'
  | 'subscription_expires_at'
  | 'created_at'
>;

export type TierFilter = Tier | 'all';

/** Everybody who has an account, by name. */
export const people = createPagedList<Person, { tier: TierFilter }>({
  limit: limits.usersPerPage,
  filters: { tier: 'all' },
  load: async ({ page, search, filters: { tier } }, signal) => {
    const query = { page, ...(search !== '' && { search }), ...(tier !== 'all' && { tier }) };
    const { users, total } = await call(listUsers, { query, signal });
    return { items: users, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadPeople,
});
