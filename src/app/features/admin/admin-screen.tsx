import type { ReactNode } from 'react';
import { Suspense, useState } from 'react';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { Page } from '#app/ui/page.tsx';
import { Tabs } from '#app/ui/tabs.tsx';
import styles from './admin-screen.module.css';
import { SectionSwitch } from './section-switch.ts';
import { sections } from './sections.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Administration: one section at a time, chosen by its tab. */
export function AdminScreen({ title, notice }: Props) {
  const [current, choose] = useState(sections[0]);
  const { name, Section } = current;
  const open = (wanted: string) => choose(sections.find((section) => section.name === wanted) ?? current);
  return (
    <Page title={title} notice={notice}>
      <Tabs label="Sections" tabs={sections} current={current.name} onChoose={choose} />
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
