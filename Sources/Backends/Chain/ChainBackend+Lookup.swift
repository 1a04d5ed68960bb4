import Gatefold
import Primitives

/// Lookups by the sign-in identifier in all members.
extension ChainBackend {
    var supportsLookup: Bool { true }

    /// Asks every member, whatever the order of sign-ins is, because any of them may have a reader with the identifier.
    /// A member that does not respond is part of the result and hides no reader of another member.
    func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        let results = try await withThrowingTaskGroup(of: MemberResult<ReaderLookup>.self) { group in
            for (position, member) in members.enumerated() {
                group.addImmediateTask {
                    await MemberResult(position) {
                        try await member.backend.lookUp(credentials, context: context).value
                    }
                }
            }
            var results: [MemberResult<ReaderLookup>] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.position < $1.position }
        }
        try Task.checkCancellation()
        var joined = ReaderLookup()
        for result in results {
            switch result.result {
            case .success(let found): joined = joined.joined(with: found)
            case .failure(let error):
                let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
                joined = joined.joined(
                    with: ReaderLookup(failures: [members[result.position].backend.name: cause]))
            }
        }
        return Fetched(joined)
    }
}
