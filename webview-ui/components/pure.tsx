import { Component, type ComponentChild, type FunctionComponent } from 'preact';

/**
 * Renders again only for other props. Items and turns keep their identity in `threadReducer`, so this is sufficient.
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
