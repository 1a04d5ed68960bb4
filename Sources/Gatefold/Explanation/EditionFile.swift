/// The file of an edition, for an explanation.
package enum EditionFile: Sendable, Equatable {
    /// - Parameter bytes: The size, or nil for a folder.
    case present(path: String, bytes: Int64?)
    /// - Parameter paths: The paths that were looked for, below the folder of the content.
    case missing(paths: [String])
    /// The file system could not be queried.
    case unavailable
    /// Another server has the files, or the publication has no content.
    case elsewhere
}
