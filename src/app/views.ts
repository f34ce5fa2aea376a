import type { ComponentType, ReactNode } from 'react';
import type { ViewName } from './state/navigation.ts';
import type { ViewAudience } from './state/session.ts';
import { lazyPart } from './ui/loading.tsx';
import { NotLoaded } from './ui/messages.tsx';

export interface ScreenProps {
  title: string;
  /** A notice of the whole app, shown under the title. */
  notice: ReactNode;
  onBack: () => void;
}

interface View {
  title: string;
  /** Who may open it; the menu shows it only to them (§6). */
  audience: ViewAudience;
  /** Null for the feed, which `Frame` draws before anything else. */
  Screen: ComponentType<ScreenProps> | null;
}

/**
 * A screen loaded when its view is first opened. If the file cannot be loaded, a message is shown
 * instead.
 */
export function lazyScreen(load: () => Promise<ComponentType<ScreenProps>>): ComponentType<ScreenProps> {
  return lazyPart(load, NotLoaded);
}

const ProfileScreen = lazyScreen(async () => (await import('./features/profile/profile-screen.tsx')).ProfileScreen);
const AdminScreen = lazyScreen(async () => (await import('./features/admin/admin-screen.tsx')).AdminScreen);
const UploadScreen = lazyScreen(async () => (await import('./features/upload/upload-screen.tsx')).UploadScreen);
const VideosScreen = lazyScreen(async () => (await import('./features/videos/videos-screen.tsx')).VideosScreen);
const TagManagementScreen = lazyScreen(
  async () => (await import('./features/tag-management/tag-management-screen.tsx')).TagManagementScreen,
);
const VideoTaggingScreen = lazyScreen(
  async () => (await import('./features/video-tagging/video-tagging-screen.tsx')).VideoTaggingScreen,
);
const PerformanceScreen = lazyScreen(
  async () => (await import('./features/performance/performance-screen.tsx')).PerformanceScreen,
);

/** All views of §2. Screens are loaded when they are opened. */
export const views: Record<ViewName, View> = {
  feed: { title: 'Feed', audience: 'everybody', Screen: null },
  channels: { title: 'Videos', audience: 'everybody', Screen: VideosScreen },
  upload: { title: 'Upload Videos', audience: 'signed-in', Screen: UploadScreen },
  admin: { title: 'Administration', audience: 'admin', Screen: AdminScreen },
  'tag-management': { title: 'Tag Management', audience: 'signed-in', Screen: TagManagementScreen },
  'video-tagging': { title: 'Video Tagging', audience: 'signed-in', Screen: VideoTaggingScreen },
  performance: { title: 'Performance Dashboard', audience: 'admin', Screen: PerformanceScreen },
  profile: { title: 'Profile', audience: 'everybody', Screen: ProfileScreen },
};
