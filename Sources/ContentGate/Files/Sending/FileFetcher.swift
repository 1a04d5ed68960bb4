import NIOCore
import NIOPosix

/// A loader of file parts into the system's page cache, so that an event loop that sends them does not wait for the
/// disk.
struct FileFetcher {
    /// The number of bytes per fetch from the disk.
    private static let fetchSize: Int64 = 1 << 20
    /// The time after which a work item ends, so that the pool opens and reads other files.
    ///
    /// A work item fetches several pieces within this time only if they are in memory already.
    private static let turn: Duration = .milliseconds(2)

    let file: OpenFile
    /// The pool on which files are read.
    let pool: NIOThreadPool
    let loop: any EventLoop

    /// Loads a region in short work items, between which the pool opens and reads other files.
    ///
    /// A region that is in memory needs no work item.
    ///
    /// - Returns: A future that fails with ``OpenFileError``, or if the pool is shut down.
    func fetch(_ region: Range<Int64>) -> EventLoopFuture<Void> {
        if region.isEmpty || file.isResident(region) { return loop.makeSucceededVoidFuture() }
        return pool.runIfActive(eventLoop: loop) { [file] in try Self.fetch(region, of: file) }
            .assumeIsolated().flatMap { self.fetch($0) }.nonisolated()
    }

    /// Fetches pieces until the time limit and returns the rest of the region.
    private static func fetch(_ region: Range<Int64>, of file: OpenFile) throws(OpenFileError) -> Range<Int64> {
        var left = region
        let end = ContinuousClock.now + turn
        repeat {
            let next = left.lowerBound..<min(left.lowerBound + fetchSize, left.upperBound)
            try file.fetch(next)
            left = next.upperBound..<left.upperBound
        } while !left.isEmpty && ContinuousClock.now < end
        return left
    }
}
