package import Gatefold
import NIOPosix
import Primitives

extension ContentLayout {
    /// Returns the file of an edition below the root: its archive, or its folder.
    ///
    /// The files are looked up on a thread pool, because the file system may be on another machine.
    ///
    /// - Parameter archive: The archive of the edition according to the catalogue, or nil for the usual names.
    package func file(of edition: EditionID, _ archive: EditionArchive?) async -> EditionFile {
        guard let root else { return .elsewhere }
        var paths = archiveExtensions.sorted().map { "\(edition).\($0)" } + ["\(edition)"]
        if let file = archive?.file { paths = [file] }
        let candidates = paths
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                for path in candidates {
                    let segments = path.split(separator: "/").map(String.init)
                    do {
                        let file = try OpenFile.open(segments, below: root)
                        defer { file.closeImmediately() }
                        return .present(path: path, bytes: file.version.size)
                    } catch OpenFileError.notFound {
                        if OpenFile.isDirectory(segments, below: root) { return .present(path: path + "/", bytes: nil) }
                    }
                }
                return .missing(paths: candidates)
            }
        } catch {
            return .unavailable
        }
    }
}
