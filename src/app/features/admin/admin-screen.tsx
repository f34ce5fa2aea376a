import { CircleAlert } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { countReports, openReports } from '#app/state/video-sets.ts';
import { lazyPart, Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Page, Tabs } from '#app/ui/page.tsx';
import styles from './admin-screen.module.css';
import { SectionSwitch } from './section-parts.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Administration: one section at a time, chosen by its tab. */
export function AdminScreen({ title, notice }: Props) {
  const [current, choose] = useState(sections[0]);
  const { name, Section } = current;
  const { videos } = useSnapshot(openReports);
  useEffect(() => void countReports(), []);
  // The tab of the library shows the number of reported videos.
  const tabs = sections.map((one) =>
    one.name === 'library' && videos > 0 ? { ...one, title: `Library (${videos})` } : one,
  );
  const open = (wanted: string) => choose(sections.find((section) => section.name === wanted) ?? current);
  return (
    <Page title={title} notice={notice}>
      <Tabs label="Sections" tabs={tabs} current={current.name} onChoose={({ name: wanted }) => open(wanted)} />
      <div key={name} data-section={name}>
        <SectionSwitch.Provider value={open}>
          <Suspense fallback={<Loading />}>
            <Section />
          </Suspense>
        </SectionSwitch.Provider>
      </div>
    </Page>
  );
}

function Loading() {
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <Skeleton className={styles.waiting} />
    </div>
  );
}

interface AdminSection {
  name: string;
  /** The label of the tab. */
  title: string;
  Section: ComponentType;
}

/** The sections in the order of their tabs. Each loads when it is first opened. */
export const sections: readonly [AdminSection, ...AdminSection[]] = [
  {
    name: 'people',
    title: 'People',
    Section: lazySection(async () => (await import('./people/people-section.tsx')).PeopleSection),
  },
  {
    name: 'invitations',
    title: 'Invitations',
    Section: lazySection(async () => (await import('./invitations-section.tsx')).InvitationsSection),
  },
  {
    name: 'library',
    title: 'Library',
    Section: lazySection(async () => (await import('./library/library-section.tsx')).LibrarySection),
  },
  {
    name: 'duplicates',
    title: 'Duplicates',
    Section: lazySection(async () => (await import('./duplicates-section.tsx')).DuplicatesSection),
  },
  {
    name: 'channels',
    title: 'Channels',
    Section: lazySection(async () => (await import('./channels/channels-section.tsx')).ChannelsSection),
  },
  {
    name: 'encodings',
    title: 'Encodings',
    Section: lazySection(async () => (await import('./encodings-section.tsx')).EncodingsSection),
  },
  {
    name: 'jobs',
    title: 'Jobs',
    Section: lazySection(async () => (await import('./jobs-section.tsx')).JobsSection),
  },
  {
    name: 'settings',
    title: 'Settings',
    Section: lazySection(async () => (await import('./settings-section.tsx')).SettingsSection),
  },
  {
    name: 'about',
    title: 'About',
    Section: lazySection(async () => (await import('./about-section.tsx')).AboutSection),
  },
  {
    name: 'activity',
    title: 'Activity',
    Section: lazySection(async () => (await import('./activity-section.tsx')).ActivitySection),
  },
];

function lazySection(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(load, NotLoaded);
}

/**
 * Shown when the section's file could not be loaded: offline and not cached, or removed with an
 * older version.
 */
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
