import Hummingbird

/// The request that the current task responds to.
enum CurrentRequest {
    /// The identifier of the request; nil outside of requests. All log lines of a request contain it.
    @TaskLocal static var id: RequestID?
}
