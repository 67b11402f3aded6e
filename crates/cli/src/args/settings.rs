//! Options that formats declare: their settings, for the input and, with `to-` before the name, for
//! the output.

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use polywire_core::Error;
use polywire_core::format::{Dialect, Format, Setting};
use polywire_formats::registry;

/// Settings of the input's format.
#[derive(Debug, Clone, Default)]
pub struct ReadSettings(Vec<(&'static Setting, String)>);

/// Settings of the output's format.
#[derive(Debug, Clone, Default)]
pub struct WriteSettings(Vec<(&'static Setting, String)>);

impl ReadSettings {
    /// Returns the dialect with the settings that its format takes. With `usual`, those that the
    /// user does not give have their usual values.
    pub fn applied(&self, dialect: Dialect, usual: bool) -> Result<Dialect, Error> {
        let known = settings_of(dialect.format());
        let mut given = taken(&self.0, known);
        if usual && !dialect.is_bound() {
            let has = |setting: &Setting| self.0.iter().any(|(given, _)| given.name == setting.name);
            let usual = known.iter().filter(|setting| setting.reads && !has(setting));
            given.extend(usual.filter_map(|setting| Some((setting.name, setting.usual?))));
        }
        dialect.with_settings(&given)
    }

    /// Fails if there is a setting that none of the formats `read` takes. `written` may be meant.
    pub fn is_used_by(&self, read: &[&'static Format], written: Option<&'static Format>) -> Result<(), Error> {
        used(&self.0, read, Side::Input, written)
    }
}

impl WriteSettings {
    /// Returns the dialect with these settings.
    pub fn applied(&self, dialect: Dialect) -> Result<Dialect, Error> {
        let given = taken(&self.0, settings_of(dialect.format()));
        dialect.with_settings(&given)
    }

    /// Fails if there is a setting that the format does not take.
    pub fn is_used_by(&self, written: &'static Format) -> Result<(), Error> {
        used(&self.0, &[written], Side::Output, None)
    }
}

fn settings_of(format: &Format) -> &'static [Setting] {
    format.settings.map(|settings| settings.settings()).unwrap_or_default()
}

fn taken<'a>(given: &'a [(&'static Setting, String)], known: &[Setting]) -> Vec<(&'a str, &'a str)> {
    let takes = |name: &str| known.iter().any(|setting| setting.name == name);
    given.iter().filter(|(setting, _)| takes(setting.name)).map(|(setting, value)| (setting.name, value.as_str())).collect()
}

/// The side of a conversion that a setting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

impl Side {
    /// Returns the name of a setting's option, if the setting is for this side.
    fn option(self, setting: &Setting) -> Option<&'static str> {
        match self {
            Side::Input => setting.reads.then_some(setting.name),
            Side::Output => setting.writes,
        }
    }
}

fn used(
    given: &[(&'static Setting, String)],
    formats: &[&'static Format],
    side: Side,
    written: Option<&'static Format>,
) -> Result<(), Error> {
    let takes = |format: &Format, name: &str| settings_of(format).iter().any(|setting| setting.name == name);
    let Some((setting, _)) = given.iter().find(|(setting, _)| !formats.iter().any(|format| takes(format, setting.name))) else {
        return Ok(());
    };
    let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
    let takers: Vec<&str> = registry::all().filter(|format| takes(format, setting.name)).map(|format| format.name).collect();
    let option = side.option(setting).unwrap_or_default();
    let error = Error::usage(format!("--{option} for {}", names.join(" and "))).expected(format!("it for {}", takers.join(" or ")));
    Err(match (written.filter(|format| takes(format, setting.name)), setting.writes) {
        (Some(format), Some(other)) => error.hint(format!("--{other} is for the output, which is {}", format.name)),
        _ => error.hint("name the format if it was recognised as another one"),
    })
}

/// Adds an option for each setting of a side.
fn add(mut command: Command, side: Side, heading: &'static str) -> Command {
    for (setting, formats) in registry::settings() {
        let Some(name) = side.option(setting) else { continue };
        let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
        let usual = setting.usual.filter(|_| side == Side::Input).map(|usual| format!("; default: {usual}")).unwrap_or_default();
        let arg = Arg::new(name).long(name).help(format!("{} [{}{usual}]", setting.about, names.join(", "))).help_heading(heading);
        command = command.arg(match setting.value {
            Some(value) => arg.value_name(value).action(ArgAction::Set).allow_hyphen_values(true),
            None => arg.action(ArgAction::SetTrue),
        });
    }
    command
}

/// Returns the settings of a side that the user gave.
fn given(matches: &ArgMatches, side: Side) -> Vec<(&'static Setting, String)> {
    let value = |setting: &'static Setting| {
        let name = side.option(setting)?;
        let value = match setting.value {
            Some(_) => matches.get_one::<String>(name).cloned(),
            None => matches.get_flag(name).then(String::new),
        };
        Some((setting, value?))
    };
    registry::settings().into_iter().filter_map(|(setting, _)| value(setting)).collect()
}

impl FromArgMatches for ReadSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ReadSettings, clap::Error> {
        Ok(ReadSettings(given(matches, Side::Input)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ReadSettings::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for ReadSettings {
    fn augment_args(command: Command) -> Command {
        add(command, Side::Input, "Settings of the input")
    }

    fn augment_args_for_update(command: Command) -> Command {
        ReadSettings::augment_args(command)
    }
}

impl FromArgMatches for WriteSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<WriteSettings, clap::Error> {
        Ok(WriteSettings(given(matches, Side::Output)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = WriteSettings::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for WriteSettings {
    fn augment_args(command: Command) -> Command {
        add(command, Side::Output, "Settings of the output")
    }

    fn augment_args_for_update(command: Command) -> Command {
        WriteSettings::augment_args(command)
    }
}
