//! Services and their methods.

use super::super::unit::Holder;
use super::Parsed;
use super::cursor::Parser;
use crate::descriptor::{MethodDescriptor, ServiceDescriptor};

impl Parser<'_> {
    pub(super) fn service(&mut self, path: &[i32]) -> Parsed<ServiceDescriptor> {
        let location = self.open(path, &[]);
        self.next();
        let mut service = ServiceDescriptor::default();
        let named = self.open(path, &[1]);
        service.name = Some(self.name("the name of a service")?);
        self.close(named);
        self.end("{", location)?;
        let mut options = None;
        while !self.try_end("}", None) {
            if self.at_end() {
                return Err(self.expected("'}' at the end of a service"));
            }
            if self.service_statement(path, &mut service, &mut options).is_err() {
                self.skip_statement();
            }
        }
        self.close(location);
        Ok(service)
    }

    fn service_statement(&mut self, path: &[i32], service: &mut ServiceDescriptor, options: &mut Option<usize>) -> Parsed {
        if self.try_end(";", None) {
            return Ok(());
        }
        if self.at("option") {
            return self.option_statement(Holder::Service, &[path, &[3]].concat(), options);
        }
        let own = [path, &[2, service.method.len() as i32]].concat();
        let method = self.method(&own)?;
        service.method.push(method);
        Ok(())
    }

    fn method(&mut self, path: &[i32]) -> Parsed<MethodDescriptor> {
        let location = self.open(path, &[]);
        self.word("rpc")?;
        let mut method = MethodDescriptor::default();
        let place = self.open(path, &[1]);
        method.name = Some(self.name("the name of a method")?);
        self.close(place);
        (method.client_streaming, method.input_type) = self.message_of_method(path, 5, 2)?;
        self.word("returns")?;
        (method.server_streaming, method.output_type) = self.message_of_method(path, 6, 3)?;
        if self.at("{") {
            // Braces mean options, even if there are none.
            method.options = Some(Box::default());
            self.method_options(path, location)?;
        } else {
            self.end(";", location)?;
        }
        self.close(location);
        Ok(method)
    }

    /// Reads a type in parentheses, with or without `stream`, whose fields have these numbers.
    fn message_of_method(&mut self, path: &[i32], stream: i32, name: i32) -> Parsed<(Option<bool>, Option<String>)> {
        self.word("(")?;
        let mut streams = None;
        if self.at("stream") {
            let place = self.open(path, &[stream]);
            self.next();
            self.close(place);
            streams = Some(true);
        }
        let place = self.open(path, &[name]);
        let found = self.type_name()?;
        self.close(place);
        self.word(")")?;
        Ok((streams, Some(found)))
    }

    fn method_options(&mut self, path: &[i32], location: usize) -> Parsed {
        self.end("{", location)?;
        let options = [path, &[4]].concat();
        let mut set = None;
        while !self.try_end("}", None) {
            if self.at_end() {
                return Err(self.expected("'}' at the end of a method's options"));
            }
            if !self.try_end(";", None) && self.option_statement(Holder::Method, &options, &mut set).is_err() {
                self.skip_statement();
            }
        }
        Ok(())
    }
}
