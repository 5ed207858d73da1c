import { Component, type ComponentChild, type FunctionComponent } from 'preact';

/**
 * Returns a component that is rendered again only when one of its props has changed. `threadReducer` keeps the identity
 * of unchanged items and turns, so comparing by identity is sufficient.
 */
export function pure<Props extends object>(View: FunctionComponent<Props>): new (props: Props) => Component<Props> {
  return class Pure extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      for (const name in next) if (next[name] !== this.props[name]) return true;
      for (const name in this.props) if (!(name in next)) return true;
      return false;
    }

    override render(props: Props): ComponentChild {
      return <View {...props} />;
    }
  };
}
