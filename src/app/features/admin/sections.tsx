import { CircleAlert } from 'lucide-react';
import type { ComponentType } from 'react';
import { Banner } from '#app/ui/banner.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';

export interface AdminSection {
  name: string;
  /** On its tab. */
  title: string;
  Section: ComponentType;
}

/** In the order of their tabs; each is loaded when it is first opened. */
export const sections: readonly [AdminSection, ...AdminSection[]] = [
  {
    name: 'people',
    title: 'People',
    Section: lazySection(async () => (await import('./people/people-section.tsx')).PeopleSection),
  },
  {
    name: 'invitations',
    title: 'Invitations',
    Section: lazySection(async () => (await import('./invitations/invitations-section.tsx')).InvitationsSection),
  },
  {
    name: 'library',
    title: 'Library',
    Section: lazySection(async () => (await import('./library/library-section.tsx')).LibrarySection),
  },
  {
    name: 'channels',
    title: 'Channels',
    Section: lazySection(async () => (await import('./channels/channels-section.tsx')).ChannelsSection),
  },
  {
    name: 'encodings',
    title: 'Encodings',
    Section: lazySection(async () => (await import('./encodings/encodings-section.tsx')).EncodingsSection),
  },
  {
    name: 'jobs',
    title: 'Jobs',
    Section: lazySection(async () => (await import('./jobs/jobs-section.tsx')).JobsSection),
  },
  {
    name: 'about',
    title: 'About',
    Section: lazySection(async () => (await import('./about/about-section.tsx')).AboutSection),
  },
  {
    name: 'activity',
    title: 'Activity',
    Section: lazySection(async () => (await import('./activity/activity-section.tsx')).ActivitySection),
  },
];

function lazySection(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(load, NotLoaded);
}

/** The section's file could not be loaded: offline and not cached, or removed with an older version. */
function NotLoaded() {
  return (
    <Banner
      kind="danger"
      icon={<CircleAlert aria-hidden="true" />}
      sentence="This section could not be loaded."
      action={{ label: 'Reload', onPress: () => location.reload() }}
    />
  );
}
