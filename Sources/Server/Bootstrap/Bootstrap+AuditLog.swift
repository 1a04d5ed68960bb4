import Foundation
package import State

extension Bootstrap {
    /// Opens the state store for the audit log of a command that does not use the state otherwise.
    ///
    /// A state that never existed is created, because a change without an entry is not allowed. It is not created in the folder
    /// of another user, because the server, which runs as that user, could not open it.
    ///
    /// - Throws: ``BootstrapError/foreignFolder(path:folder:owner:)``, ``BootstrapError/noState(path:)`` if the state was
    ///   removed, or the errors of ``stateStore(_:creates:opensLater:)``.
    package static func auditedStateStore(_ configuration: GatefoldConfiguration) throws -> any StateStore {
        guard case .sqlite(let path) = configuration.state.location, !FileManager.default.fileExists(atPath: path),
            !SQLStateStore.wasRemoved(path: path)
        else { return try existingStateStore(configuration) }
        let (folder, owner) = Self.owner(of: URL(fileURLWithPath: configuration.state.location.folder))
        guard owner == geteuid() else {
            throw BootstrapError.foreignFolder(path: path, folder: folder, owner: Self.name(of: owner))
        }
        return try stateStore(configuration)
    }

    /// Returns the owner of a folder, or of the nearest one above it that exists.
    private static func owner(of folder: URL) -> (folder: String, owner: uid_t) {
        var folder = folder.standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        // The attributes of a symbolic link are its own.
        let path = folder.resolvingSymlinksInPath().path
        let owner = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountID]
        return (folder.path, (owner as? UInt).map { uid_t($0) } ?? (owner as? NSNumber)?.uint32Value ?? 0)
    }

    private static func name(of user: uid_t) -> String {
        getpwuid(user).map { "the user " + String(cString: $0.pointee.pw_name) } ?? "the user with the number \(user)"
    }
}
