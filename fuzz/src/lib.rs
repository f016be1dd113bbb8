//! What several fuzz targets share: the properties of documents, and a service to send bodies to.

pub mod documents;
pub mod packages;
pub mod service;
