import JSON
import Primitives

/// The lists of a publication.
extension ListPage {
    static let editions = ListPage(
        title: "Editions", path: "/publications/{publication}/editions", operation: "listEditions",
        caption: "The catalogue", columns: ["Edition", "Title", "Published", "Free", "Status"],
        empty: "The catalogue has no edition."
    ) { edition, _ in
        let status =
            if edition["withdrawn"]?.text != nil {
                Cell("withdrawn \(Shown.timeText(edition["withdrawn"]))", symbol: .problem)
            } else if edition["draft"]?.boolValue == true {
                Cell("draft", symbol: .unknown)
            } else {
                Cell("in the catalogue", symbol: .good)
            }
        return [
            Shown.cell(edition["id"]), Shown.cell(edition["title"]), Shown.time(edition["published"]),
            Shown.cell(edition["free"]), status,
        ]
    }

    static let deliveries = ListPage(
        title: "Deliveries", path: "/publications/{publication}/deliveries", operation: "listDeliveries",
        caption: "Deliveries of purchases, the newest first",
        columns: ["Product", "Quantity", "Ordered", "Status", "Attempts", "Next attempt", "Last failure", "Action"],
        empty: "There is no delivery."
    ) { delivery, visit in
        let isPending = delivery["status"]?.text == "pending"
        let id = PercentEncoding.encode(delivery["id"]?.text ?? "")
        return [
            Shown.cell(delivery["product"]), Shown.cell(delivery["quantity"]), Shown.time(delivery["ordered"]),
            Cell(Shown.text(delivery["status"]), symbol: isPending ? .unknown : .good),
            Shown.cell(delivery["attempts"]),
            Shown.time(delivery["next"]), Shown.cell(delivery["cause"]),
            isPending && visit.permits("retryDelivery")
                ? Cell("Retry", link: visit.publicationPath + "/deliveries/\(id)/retry") : "–",
        ]
    }

    static let campaigns = ListPage(
        title: "Campaigns", path: "/publications/{publication}/campaigns", operation: "listCampaigns",
        caption: "Push campaigns, the newest first",
        columns: ["Campaign", "App", "Edition", "Begun", "Sent", "Failed", "Gone", "Finished"],
        empty: "There is no campaign."
    ) { campaign, _ in
        [
            Shown.cell(campaign["name"]), Shown.cell(campaign["app"]), Shown.cell(campaign["edition"]),
            Shown.time(campaign["begun"]), Shown.cell(campaign["sent"]), Shown.cell(campaign["failed"]),
            Shown.cell(campaign["gone"]),
            Cell(campaign["finished"]?.text == nil ? "runs" : Shown.timeText(campaign["finished"])),
        ]
    }
}
