import type { ReactNode } from 'react';
import { Component } from 'react';

interface Props {
  children: ReactNode;
  inItsPlace: ReactNode;
}

/** Lists and quotes can be nested deeper than anything can draw: the form beside such news works all the same. */
export class UndrawableNews extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.inItsPlace : this.props.children;
  }
}
