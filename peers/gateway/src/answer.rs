//! Whether a gateway answers what the backend said: the items by their ids, titles and prices.

use serde_json::Value;

use crate::Error;
use crate::subject::{Answer, Plan, Stage, Subject};

/// Checks each subject once, and tells how many there are.
pub fn check(stage: &mut Stage, plan: &Plan) -> Result<usize, Error> {
    let truth: Value = serde_json::from_slice(&stage.reply("json")?)?;
    let items = truth["searchResult"]["items"].as_array().ok_or("the reply has no items")?;
    for subject in &plan.subjects {
        let reply = stage.ask(subject)?;
        let told = || String::from_utf8_lossy(&reply.body[..reply.body.len().min(300)]).into_owned();
        if reply.status != 200 {
            return Err(format!("{}: status {}: {}", subject.name, reply.status, told()).into());
        }
        holds(stage, subject, &reply.body, items).map_err(|failure| format!("{}: {failure} in: {}", subject.name, told()))?;
    }
    Ok(plan.subjects.len())
}

fn holds(stage: &Stage, subject: &Subject, body: &[u8], items: &[Value]) -> Result<(), Error> {
    if subject.answer == Answer::Reply {
        let ending = subject.path.rsplit('.').next().unwrap_or_default();
        return if body == stage.reply(ending)? { Ok(()) } else { Err("another reply".into()) };
    }
    let answer: Value = serde_json::from_slice(body)?;
    let found = match subject.answer {
        Answer::Items => answer[0][0].as_array(),
        _ => answer.as_array(),
    };
    let found = found.ok_or("no items")?;
    if found.len() != items.len() {
        return Err(format!("{} items", found.len()).into());
    }
    for (item, truth) in found.iter().zip(items) {
        let (id, title) = match subject.answer {
            Answer::Items => (&item["itemId"], &item["title"]),
            _ => (&item[0], &item[1]),
        };
        same(id, &truth["itemId"])?;
        same(title, &truth["title"])?;
        if subject.answer == Answer::Items {
            let price = &item["sellingStatus"]["currentPrice"];
            let price = [&price["$t"], &price["amount"], price].into_iter().find(|price| !price.is_null()).unwrap_or(price);
            let amount = price.as_f64().or_else(|| price.as_str()?.parse().ok()).ok_or("an item without a price")?;
            let wanted = truth["sellingStatus"]["currentPrice"]["amount"].as_f64().unwrap_or(f64::NAN);
            if (amount - wanted).abs() > 1e-5 * wanted {
                return Err(format!("price {amount} for {wanted}").into());
            }
            same(&item["listingInfo"]["endTime"], &truth["listingInfo"]["endTime"])?;
        }
    }
    Ok(())
}

/// Texts that say the same; a number is one by its digits.
fn same(found: &Value, wanted: &Value) -> Result<(), Error> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if text(found) == text(wanted) { Ok(()) } else { Err(format!("{found} for {wanted}").into()) }
}
