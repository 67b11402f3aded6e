//! Arguments of every verb that writes messages: the look of their text, and the order of keys.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::Args;
use polywire_core::Error;
use polywire_core::walk::{Colors, Indent, Layout};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Look of the output")]
pub struct LayoutArgs {
    /// Write text over several lines, as --indent 2
    #[arg(long)]
    pub pretty: bool,

    /// Write text over several lines, each level indented by N spaces or by a tab: 1 to 8, or tab
    #[arg(long, value_name = "N", value_parser = indent)]
    pub indent: Option<Indent>,

    /// Write the keys of objects in the order of their characters, unless a schema sets the order
    #[arg(short = 'S', long)]
    pub sort_keys: bool,
}

impl LayoutArgs {
    /// Returns the look of text for stdout, in colours if it shows them, or else for a file.
    pub fn layout(&self, is_stdout: bool) -> Layout {
        let colored = is_stdout && AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let indent = self.indent.or(self.pretty.then_some(Indent::Spaces(2)));
        Layout::COMPACT.with_indent(indent).with_colors(colored.then(colors))
    }
}

fn colors() -> Colors {
    let start = |style: Style| style.render().to_string();
    Colors::new(
        start(AnsiColor::Blue.on_default().bold()),
        start(AnsiColor::Green.on_default()),
        start(AnsiColor::Yellow.on_default()),
        start(Style::new().dimmed()),
        anstyle::Reset.render().to_string(),
    )
}

fn indent(text: &str) -> Result<Indent, Error> {
    match text.parse() {
        Ok(spaces @ 1..=8) => Ok(Indent::Spaces(spaces)),
        _ if text == "tab" => Ok(Indent::Tab),
        _ => Err(Error::usage(format!("`{text}`")).expected("a number from 1 to 8, or tab")),
    }
}
