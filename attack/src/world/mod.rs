//! The gateway under attack, with all that is around it.

pub mod folder;
pub mod nginx;
pub mod process;
pub mod program;
pub mod service;
pub mod victims;

use std::path::PathBuf;

use folder::Folder;
use process::State;
use program::{Program, free_port};
use service::Service;

/// Stands in tables and in the configuration for what nobody may see.
pub const SECRET: &str = "S3CRET";

/// A gateway over the bundled folder, and its services.
pub struct World {
    /// The gateway.
    pub gateway: Program,
    /// The service behind the tables.
    pub service: Service,
    /// A service at another port, which may be called, but is not trusted with the first one's
    /// credentials.
    pub other: Service,
    /// A service that may not be called.
    pub forbidden: Service,
    /// The folder that is served.
    pub folder: Folder,
    /// The program.
    pub polywire: PathBuf,
    /// h2spec, if it is there.
    pub h2spec: Option<PathBuf>,
    /// The resident memory of all of its processes, in bytes, and their threads and open files,
    /// after the first requests.
    pub calm: State,
}

impl World {
    /// Starts the services, then the gateway.
    ///
    /// # Errors
    /// Something does not start.
    pub fn start(polywire: PathBuf, h2spec: Option<PathBuf>) -> Result<World, String> {
        // Before anybody waits for them.
        service::bombs("");
        let (service, other, forbidden) = (Service::start()?, Service::start()?, Service::start()?);
        let port = free_port()?;
        let folder = Folder::bundled(&[
            ("$SERVICE", service.port.to_string()),
            ("$OTHER", other.port.to_string()),
            ("$SELF", port.to_string()),
            ("$SECRET", SECRET.to_owned()),
        ])?;
        let gateway = Program::start(&polywire, &folder, port, &[])?;
        let mut world = World { gateway, service, other, forbidden, folder, polywire, h2spec, calm: State::default() };
        world.calm = world.warm()?;
        Ok(world)
    }

    /// Starts the gateway again after its end.
    ///
    /// # Errors
    /// It does not start.
    pub fn again(&mut self) -> Result<(), String> {
        let port = self.gateway.port;
        self.gateway.kill();
        self.gateway = Program::start(&self.polywire, &self.folder, port, &[])?;
        self.calm = self.warm()?;
        Ok(())
    }

    /// Asks for everything once, so that what is made on first use is there.
    fn warm(&self) -> Result<State, String> {
        for round in 0..200 {
            self.gateway.get(&format!("/good/{round}"))?;
            let hook = self.gateway.get("/hook/warm")?;
            if hook.text() != "\"ok\"" {
                return Err(format!("the bundled folder is not served as it should: {}\n{}", hook.short(), self.gateway.log()));
            }
        }
        Ok(process::state(self.gateway.pid()))
    }
}
