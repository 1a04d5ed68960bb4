import Commerce
import Gatefold
import HTTPTypes
import Hummingbird

/// The calls for edition credentials with a store's receipt. The document is the same for all stores.
///
/// Source: Store receipts in the Pugpig style, “Overview”.
extension PugpigRequestHandler {
    func respond(
        to call: PugpigReceiptCall, _ request: Request, _ context: GatefoldRequestContext
    ) async throws -> Response {
        guard let authorizationService = publications.authorizationService(for: call.publication(in: request.uri.path))
        else {
            context.refuse(Refusal(.unknownPublication, .editionCredentials))
            return PugpigResponse.notFound()
        }
        if let response = PugpigResponse.withoutCall(request.method, of: .editionCredentials) { return response }
        let malformed = authorizationService.refusal(.malformedRequest, .editionCredentials)
        let receiptRequest: PugpigReceiptRequest
        do {
            receiptRequest = try await PugpigReceiptRequest.read(call, request)
        } catch let rejection as RequestRejection {
            context.refuse(malformed)
            return PugpigResponse.rejected(rejection)
        } catch let incomplete as PugpigReceiptRequest.Incomplete {
            context.refuse(malformed)
            return PugpigResponse.incomplete(incomplete.text)
        }
        let callContext = callContext(receiptRequest.fields, request, context)
        do {
            return PugpigResponse.credentials(
                try await authorizationService.editionCredentials(
                    for: receiptRequest.requested, showing: receiptRequest.receipt, from: call.kind,
                    app: receiptRequest.app, callContext)
            )
        } catch {
            return failure(error, of: .editionCredentials, authorizationService, callContext, context)
        }
    }
}
